import { Anchor, Button, Drawer, Group, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';

import { asProblem, coreApi } from '@/api';
import type { TeamRequestData, TeamRequestState } from '@/api/generated/core.gen';
import { FormBanner } from '@/components/feedback/FormBanner';
import { ProblemView } from '@/components/feedback/ProblemView';
import { toastDone } from '@/components/feedback/Toasts';
import { useFormRefusal } from '@/components/feedback/useFormRefusal';
import { When } from '@/components/format/When';
import { Link } from '@/components/Link';
import type { Column } from '@/components/list/columns';
import { List } from '@/components/list/List';
import { useListState } from '@/components/list/useListState';
import { useRightName } from '@/lib/rights';
import { useAddressParams } from '@/lib/useAddressParams';

import { accountAddress } from './address';

const SIZE = 20;
const STATES: TeamRequestState[] = ['OPEN', 'CLOSED'];
const LIST = { filters: { state: STATES } };

/** Requests of people and visitors to the team: they are answered, closed and opened again. The address has the opened one. */
export function TeamRequests() {
  const { t } = useTranslation('Admin');
  const state = useListState(LIST);
  const query = coreApi.useCoreGetTeamRequestsQuery({
    page: state.page - 1,
    size: SIZE,
    state: STATES.find((one) => one === state.filters.state) ?? null,
  });
  const [opened, open] = useOpened();
  const named = useKindName();
  return (
    <>
      <List<TeamRequestData, 'state'>
        label={t('requests')}
        query={query}
        rows={query.data?.records}
        state={state}
        filters={[
          {
            name: 'state',
            label: t('requestState'),
            options: STATES.map((value) => ({ value, label: t(`requestStates.${value}`) })),
          },
        ]}
        pages={query.data?.paging.totalPages ?? 1}
        total={query.data?.paging.totalElements ?? 0}
        columns={useColumns()}
        rowKey={({ id }) => String(id)}
        rowName={({ kind, contacts }) => `${named(kind)}, ${contacts}`}
        onOpen={({ id }) => open(id)}
        empty={{ title: t('noRequests'), hint: t('noRequestsHint') }}
      />
      {opened !== null && (
        <Opened
          key={opened}
          id={opened}
          listed={query.data?.records.find(({ id }) => id === opened)}
          onClose={() => open(null)}
        />
      )}
    </>
  );
}

/** The number of the opened request, and what opens another one or none. */
function useOpened(): [number | null, (id: number | null) => void] {
  const [params, setParams] = useAddressParams();
  const id = Number(params.get('request'));
  const open = (chosen: number | null) =>
    setParams((now) => {
      const changed = new URLSearchParams(now);
      if (chosen === null) changed.delete('request');
      else changed.set('request', String(chosen));
      return changed;
    });
  return [Number.isSafeInteger(id) && id > 0 ? id : null, open];
}

/** `listed`: the request, if the present page of the list has it. */
function Opened({ id, listed, onClose }: { id: number; listed: TeamRequestData | undefined; onClose: () => void }) {
  const { t } = useTranslation('Admin');
  const named = useKindName();
  const { data, error, refetch } = coreApi.useCoreGetTeamRequestQuery(
    { requestId: id },
    { skip: listed !== undefined },
  );
  const request = listed ?? data;
  const problem = request ? null : asProblem(error);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={request && named(request.kind)}
      closeButtonProps={{ 'aria-label': t('App:close') }}
    >
      {problem && <ProblemView problem={problem} again={() => void refetch()} />}
      {!problem && !request && <Skeleton h={200} />}
      {request && <Answer request={request} onDone={onClose} />}
    </Drawer>
  );
}

/** What is asked for: a feature, or a message of another kind. */
function useKindName(): (kind: string) => string {
  const { t, i18n } = useTranslation('Admin');
  const named = useRightName();
  return (kind) =>
    i18n.exists(`Admin:kind.${kind}`) ? t(`kind.${kind}`) : named(kind.includes('.') ? kind : `mlp.${kind}`);
}

function useColumns(): Column<TeamRequestData>[] {
  const { t } = useTranslation('Admin');
  const named = useKindName();
  return [
    {
      name: 'kind',
      label: t('asks'),
      cell: ({ kind }) => named(kind),
      note: ({ comment }) =>
        comment && (
          <Text span inherit lineClamp={2}>
            {comment}
          </Text>
        ),
    },
    { name: 'contacts', label: t('from'), cell: (one) => <Asker request={one} /> },
    { name: 'state', label: t('requestState'), width: 120, cell: ({ state }) => t(`requestStates.${state}`) },
    { name: 'mail', label: t('mailing'), width: 150, from: 'md', cell: ({ mailState }) => t(`mail.${mailState}`) },
    { name: 'when', label: t('when'), width: 150, cell: ({ createdAt }) => <When at={createdAt} /> },
  ];
}

function Asker({ request: { contacts, login, accountId } }: { request: TeamRequestData }) {
  return (
    <>
      {contacts}
      {login && (
        <Text size="xs" c="dimmed">
          {login}
          {accountId !== null && (
            <>
              {' · '}
              <Anchor component={Link} to={accountAddress(accountId)} inherit>
                {accountId}
              </Anchor>
            </>
          )}
        </Text>
      )}
    </>
  );
}

function Answer({ request, onDone }: { request: TeamRequestData; onDone: () => void }) {
  const { t } = useTranslation('Admin');
  const [update, { isLoading }] = coreApi.useCoreUpdateTeamRequestMutation();
  const form = useForm({ initialValues: { answer: request.answer ?? '' } });
  const refusal = useFormRefusal(form);
  const set = async (state: TeamRequestState) => {
    refusal.clear();
    const answer = form.values.answer.trim();
    const { error } = await update({
      requestId: request.id,
      teamRequestUpdate: { state, answer: answer && answer !== request.answer ? answer : null },
    });
    if (refusal.show(error)) return;
    toastDone(t(`requestSet.${state}`));
    onDone();
  };
  return (
    <Stack>
      <Asker request={request} />
      {request.comment && <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{request.comment}</Text>}
      {request.answeredAt && (
        <Text size="sm" c="dimmed">
          {t('answeredBy', { login: request.answeredBy ?? '' })} <When at={request.answeredAt} />
        </Text>
      )}
      <FormBanner refusal={refusal} />
      <Textarea
        label={t('answer')}
        description={t(request.accountId === null ? 'answerVisitor' : 'answerHint')}
        autosize
        minRows={4}
        maxLength={1500}
        {...form.getInputProps('answer')}
      />
      <Group>
        {request.state === 'OPEN' ? (
          <>
            <Button
              disabled={!form.values.answer.trim() && !request.answer}
              loading={isLoading}
              onClick={() => void set('CLOSED')}
            >
              {t(
                request.answer && ['', request.answer].includes(form.values.answer.trim())
                  ? 'closeRequest'
                  : 'answerAndClose',
              )}
            </Button>
            <Button
              variant="default"
              disabled={!form.values.answer.trim()}
              loading={isLoading}
              onClick={() => void set('OPEN')}
            >
              {t('answerOnly')}
            </Button>
          </>
        ) : (
          <Button variant="default" loading={isLoading} onClick={() => void set('OPEN')}>
            {t('openAgain')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
