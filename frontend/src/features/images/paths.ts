import type { ImageInfoData } from '@/api/generated/core.gen';

export const LIST = '/workspace/images';

/** The address of an image's page, or of one of its tabs. */
export const pathOf = ({ id }: Pick<ImageInfoData, 'id'>, tab = ''): string =>
  `/workspace/image/${id.accountId}/${id.imageId}${tab && `/${tab}`}`;
