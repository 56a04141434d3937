import type { DataImageInfoData } from '@/api/generated/core.gen';

export const LIST = '/workspace/data-images';

/** The address of a data image's page, or of one of its tabs. */
export const pathOf = ({ id }: Pick<DataImageInfoData, 'id'>, tab = ''): string =>
  `/workspace/data-image/${id.accountId}/${id.imageId}${tab && `/${tab}`}`;
