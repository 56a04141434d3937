/** What this build is called: see scripts/build-facts.ts. */
declare const BUILD_FACTS: { buildNumber: string; buildDate: string; buildBranch: string };
