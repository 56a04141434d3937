import { useTranslation } from 'react-i18next';

import { firstApi } from '@/api/first';
import type { ModelInfoData } from '@/api/generated/core.gen';
import { useProblemToast } from '@/components/feedback/useProblemToast';

/** Adds a service to the favourites or removes it. The change is shown after the server confirms it. */
export function useFavorite(model: ModelInfoData) {
  const { t } = useTranslation('Service');
  const [set, { isLoading }] = firstApi.useCoreSetFavoriteMutation();
  const refused = useProblemToast();
  const change = async () => {
    const { error } = await set({ account: String(model.id.accountId), model: model.modelName, body: !model.favorite });
    refused(t('favoriteFailed'), error, { once: true });
  };
  return { favorite: model.favorite, changing: isLoading, toggle: () => void change() };
}
