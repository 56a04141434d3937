import { useTranslation } from 'react-i18next';

import { formatBytes } from '@/lib/format/bytes';
import { formatNumber } from '@/lib/format/number';

import type { UploadFault } from './faults';

/** Says what is wrong with an upload. */
export function useFaultText(): (fault: UploadFault) => string {
  const { t, i18n } = useTranslation('Upload');
  const exact = (bytes: number) => t('bytes', { count: bytes, shown: formatNumber(bytes, i18n.language) });
  /** Two sizes that are different, so that their texts are different, too. */
  const apart = (one: number, other: number): readonly [string, string] => {
    const texts = [formatBytes(one, i18n.language), formatBytes(other, i18n.language)] as const;
    return texts[0] === texts[1] && one !== other ? [exact(one), exact(other)] : texts;
  };
  return (fault) => {
    switch (fault.kind) {
      case 'wrongFormat':
        return fault.endings.length > 0
          ? t('wrongFormat', { name: fault.name, endings: fault.endings.join(', ') })
          : t('wrongContent', { name: fault.name });
      case 'tooLarge': {
        if (fault.limit === null)
          return t('tooLargeHere', { name: fault.name, size: formatBytes(fault.size, i18n.language) });
        const [size, limit] = apart(fault.size, fault.limit);
        return t('tooLarge', { name: fault.name, size, limit });
      }
      case 'noRoom': {
        const [size, free] = apart(fault.size, fault.free);
        return t('noRoom', { name: fault.name, size, free });
      }
      case 'tooMany':
        return fault.count === null ? t('onlyOne') : t('tooMany', { shown: formatNumber(fault.count, i18n.language) });
      case 'tooSmall':
      case 'failed':
        return t(fault.kind, { name: fault.name });
    }
  };
}
