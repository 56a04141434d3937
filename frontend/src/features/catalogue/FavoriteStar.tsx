import { ActionIcon } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { ModelInfoData } from '@/api/generated/core.gen';

import { useFavorite } from './useFavorite';

export function FavoriteStar({ model }: { model: ModelInfoData }) {
  const { t } = useTranslation('Service');
  const { favorite, toggle, changing } = useFavorite(model);
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-pressed={favorite}
      aria-label={t('favoriteOf', { name: model.displayName ?? model.modelName })}
      title={t(favorite ? 'removeFavorite' : 'addFavorite')}
      disabled={changing}
      onClick={toggle}
    >
      {favorite ? (
        <IconStarFilled size={16} aria-hidden color="var(--mlp-accent-text)" />
      ) : (
        <IconStar size={16} aria-hidden />
      )}
    </ActionIcon>
  );
}
