import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { coreApi } from '@/api';
import type { DataImageInfoData } from '@/api/generated/core.gen';
import { Deletion } from '@/components/Deletion';
import { Link } from '@/components/Link';

import { pathOf } from './paths';

interface Props {
  account: string;
  image: DataImageInfoData;
  opened: boolean;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteDataImage({ account, image, opened, onClose, onDeleted }: Props) {
  const { t } = useTranslation('DataImages');
  const [remove] = coreApi.useCoreDeleteDataImageMutation();
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
