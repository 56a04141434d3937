import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { ImageInfoData } from '@/api/generated/core.gen';
import { Deletion } from '@/components/Deletion';
import { Link } from '@/components/Link';

import { pathOf } from './paths';

interface Props {
  account: string;
  image: ImageInfoData;
  opened: boolean;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteImage({ account, image, opened, onClose, onDeleted }: Props) {
  const { t } = useTranslation('Images');
  const [remove] = coreApi.useCoreDeleteImageMutation();
  return (
    <Deletion
      opened={opened}
      title={t('deleteTitle', { name: image.name })}
      account={account}
      remove={() => remove({ account, imageId: image.id.imageId })}
      onClose={onClose}
      onDeleted={onDeleted}
      users={
        <Anchor component={Link} size="sm" to={pathOf(image, 'usage')} onClick={onClose}>
          {t('showUsage')}
        </Anchor>
      }
    >
      {t('deleteHint')}
    </Deletion>
  );
}
