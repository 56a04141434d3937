/** The version of this build: see scripts/build-facts.ts. */
declare const BUILD_FACTS: { buildNumber: string; buildDate: string; buildBranch: string };

/** The path of the SDK at the platform: see scripts/sdk-wheel.ts. */
declare const SDK_WHEEL: string;

/** Parts of a file of texts: see scripts/locale-parts.ts. */
declare module '*.json?first' {
  const texts: Record<string, object>;
  export default texts;
}

declare module '*.json?rest' {
  const texts: Record<string, object>;
  export default texts;
}

declare module '*.json?later' {
  const texts: Record<string, object>;
  export default texts;
}
