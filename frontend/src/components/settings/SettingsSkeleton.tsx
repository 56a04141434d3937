import { Skeleton, Stack } from '@mantine/core';

import type { FieldSpec, SectionSpec } from './fields';
import { AROUND_ROWS } from './rows';
import classes from './rows.module.css';

const HEIGHT: Partial<Record<FieldSpec['kind'], number>> = { area: 62, switch: 24, jsonText: 140, jsonValue: 140 };

/** The settings while they load, in the size that they will have. */
export function SettingsSkeleton({ sections }: { sections: readonly SectionSpec[] }) {
  return (
    <Stack gap={32} aria-busy className={AROUND_ROWS}>
      {sections.map(({ title, fields }) => (
        <div key={title ?? ''}>
          {title && <Skeleton h={21} w={180} mb="sm" />}
          {fields
            .filter(({ when, explains }) => when === undefined && !explains)
            .map(({ path, kind }) => (
              <div key={path} className={classes.row}>
                <Skeleton className={classes.label} h={14} w="60%" mt={8} />
                <Skeleton
                  className={classes.control}
                  h={HEIGHT[kind] ?? 36}
                  w={kind === 'number' ? 200 : kind === 'switch' ? 46 : undefined}
                />
              </div>
            ))}
        </div>
      ))}
    </Stack>
  );
}
