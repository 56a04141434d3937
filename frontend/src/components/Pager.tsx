import { Button, Group, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

interface Props {
  /** Counts from 1. */
  page: number;
  pages: number;
  onPage: (page: number) => void;
}

/** Back and Next with the current page between them. Shows nothing for a list of one page. */
export function Pager({ page, pages, onPage }: Props) {
  const { t } = useTranslation('Pager');
  if (pages <= 1) return null;
  return (
    <Group component="nav" aria-label={t('label')} justify="center" gap="md">
      <Button
        variant="default"
        leftSection={<IconChevronLeft size={16} aria-hidden />}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        {t('back')}
      </Button>
      <Text size="sm" c="dimmed" aria-current="page">
        {t('where', { page, pages })}
      </Text>
      <Button
        variant="default"
        rightSection={<IconChevronRight size={16} aria-hidden />}
        disabled={page >= pages}
        onClick={() => onPage(page + 1)}
      >
        {t('next')}
      </Button>
    </Group>
  );
}
