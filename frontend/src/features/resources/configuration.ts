/** Starts an agent with the configuration of `agentConfig` in that file. */
export const AGENT_COMMAND = 'python -m mlplace_agent run --config agent.json';

/** The raw configuration of a hosting server, as JSON, which is valid YAML: input cannot escape its quotes. */
export function configurationOf({
  description,
  maxInstances,
}: {
  description: string;
  maxInstances: number | null;
}): string {
  return JSON.stringify({
    provider: 'hosting_server',
    ...(description ? { description } : {}),
    ...(maxInstances === null ? {} : { maxInstances }),
  });
}

/** The configuration that a new server's agent needs. */
export function agentConfig(platformUrl: string, enrolmentToken: string): string {
  return JSON.stringify(
    {
      platform_url: platformUrl,
      state_dir: '/var/lib/mlplace-agent',
      enrolment_token: enrolmentToken,
      docker: { enabled: true },
    },
    null,
    2,
  );
}

/** The least raw configuration of a hosting server. */
export const LEAST_CONFIGURATION = 'provider: hosting_server\n';
