import { useState } from 'react';

import { coreApi } from '@/api';
import { EventTable } from '@/components/events/EventTable';

import { pollingOf } from '../periods';
import { usePeriod } from '../PeriodSelect';

import { ON_A_PAGE, PagedLog } from './PagedLog';

/** What happened to a group and its servers in the period, the newest first. */
export function GroupEvents(where: { account: string; groupName: string }) {
  const period = usePeriod();
  const [page, setPage] = useState(0);
  const query = coreApi.useCoreGetResourceGroupLogsPageQuery(
    { ...where, minutes: period.minutes, page, size: ON_A_PAGE },
    { pollingInterval: pollingOf(period), skipPollingIfUnfocused: true },
  );
  return (
    <PagedLog query={query} onPage={setPage}>
      {(events) => <EventTable events={events} />}
    </PagedLog>
  );
}
