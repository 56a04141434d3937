import { useEffect, useRef } from 'react';
import { useDispatch } from 'react-redux';

import { coreApi } from '@/api';
import type { ModelInstanceData, ModelShortStatusData } from '@/api/generated/core.gen';

/** Asks for a service's state and for its instances at once when one of them has changed: each is polled for itself, and the page would say "Running" here and "Waiting" there until the next poll. */
export function useInStep(
  status: Pick<ModelShortStatusData, 'state'> | undefined,
  instances: readonly Pick<ModelInstanceData, 'id' | 'statusInfo'>[] | undefined,
): void {
  const dispatch = useDispatch();
  const states =
    status &&
    instances &&
    [status.state, ...instances.map(({ id, statusInfo }) => `${id} ${statusInfo.totalStatus}`)].join();
  const before = useRef(states);
  useEffect(() => {
    if (before.current && states && before.current !== states) dispatch(coreApi.util.invalidateTags(['Instances']));
    before.current = states ?? before.current;
  }, [dispatch, states]);
}
