/** The version of this build: see scripts/build-facts.ts. */
declare const BUILD_FACTS: { buildNumber: string; buildDate: string; buildBranch: string };
