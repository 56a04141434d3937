import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';

import { show } from '@/testing/render';
import { answers } from '@/testing/server';

import { Licence } from './Licence';

const LICENCE = '/api/mlpcore/admin/license';
const USAGE = { services: 12, vllmModels: 0, cpu: 6.5, vramGb: 0 };
const TERMS = {
  grafanaLicenseDashboardUrl: 'https://g.example/d',
  hardLimitsAreExceeded: false,
  softLimitsAreExceeded: false,
  licenseStarts: '2026-01-01T00:00:00Z',
  licenseEnds: '2099-01-01T00:00:00Z',
  licenseExpiredOrInvalid: false,
  licenseExpiresSoon: false,
  daysLeftBeforeHardLimits: null,
  limits: {
    allowedServices: 20,
    allowedToDevelop: null,
    allowedToFit: false,
    allowedVllmModels: null,
    cpuTotalCount: 8,
    vramTotalGb: null,
  },
};
const OVERVIEW = { required: true, customer: 'Acme', license: TERMS, usage: USAGE, graceDays: 14, hardPercent: 120 };

test('shows what the licence allows and what is used of it', async () => {
  answers(LICENCE, OVERVIEW);
  show(<Licence />);
  expect(await screen.findByText('The licence is valid')).toBeInTheDocument();
  expect(screen.getByText('Acme')).toBeInTheDocument();
  expect(screen.getByText('12 of 20')).toBeInTheDocument();
  expect(screen.getByText('6.5 of 8')).toBeInTheDocument();
  expect(screen.getByText('vLLM services: 0, not limited')).toBeInTheDocument();
  const terms = within(screen.getByRole('region', { name: 'Licence' }));
  expect(terms.getByText('not included').previousSibling).toHaveTextContent('Training');
  expect(terms.getByRole('link', { name: 'Dashboard of the licence' })).toHaveAttribute('href', 'https://g.example/d');
});

test('says in the words of the banner what is wrong with it', async () => {
  answers(LICENCE, {
    ...OVERVIEW,
    license: { ...TERMS, softLimitsAreExceeded: true, daysLeftBeforeHardLimits: 3 },
    usage: { ...USAGE, services: 21 },
  });
  show(<Licence />);
  expect(
    await screen.findByText('The limits of the licence are exceeded: soon nothing new can be created'),
  ).toBeInTheDocument();
  expect(screen.getByText('21 of 20')).toBeInTheDocument();
});

test('of an installation that needs none only the use is shown', async () => {
  answers(LICENCE, {
    required: false,
    customer: null,
    license: null,
    usage: USAGE,
    graceDays: null,
    hardPercent: null,
  });
  show(<Licence />);
  expect(await screen.findByText('This installation needs no licence: nothing is limited.')).toBeInTheDocument();
  expect(screen.getByText('Services: 12, not limited')).toBeInTheDocument();
});
