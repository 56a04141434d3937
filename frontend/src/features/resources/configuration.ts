/** The raw configuration of a hosting server. JSON is YAML: nothing that is typed can break out of its quotes. */
export function configurationOf({ description, maxInstances }: { description: string; maxInstances: number | null }): string {
  return JSON.stringify({ provider: 'hosting_server', ...(description ? { description } : {}), ...(maxInstances === null ? {} : { maxInstances }) });
}

/** What the agent of a new server needs to know. */
export function agentConfig(platformUrl: string, enrolmentToken: string): string {
  return JSON.stringify({ platform_url: platformUrl, state_dir: '/var/lib/mlplace-agent', enrolment_token: enrolmentToken, docker: { enabled: true } }, null, 2);
}
