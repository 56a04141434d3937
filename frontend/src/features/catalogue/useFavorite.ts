import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { toastErrorOnce } from '@/components/feedback/Toasts';

/** Adds a service to the favourites or removes it. The change is shown after the server confirms it. */
export function useFavorite(model: ModelInfoData) {
  const { t } = useTranslation('Service');
  const [set, { isLoading }] = coreApi.useCoreSetFavoriteMutation();
  const change = async () => {
    const { error } = await set({ account: String(model.id.accountId), model: model.modelName, body: !model.favorite });
    if (error) toastErrorOnce(t('favoriteFailed'), asProblem(error)?.message ?? '');
  };
  return { favorite: model.favorite, changing: isLoading, toggle: () => void change() };
}
