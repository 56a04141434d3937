import { useBrand } from '@/lib/brand';

/** The logo of the brand. A brand's own logo is drawn for a band in the accent colour, so elsewhere it gets one. */
export function Mark() {
  const { logo } = useBrand();
  if (logo)
    return <img src={logo} width={24} height={24} alt="" style={{ background: 'var(--mlp-band)', borderRadius: 6 }} />;
  return (
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <rect x="2" y="2" width="20" height="20" rx="6" fill="var(--mantine-color-accent-6)" />
      <path
        d="M7 16.5V8l5 5 5-5v8.5"
        fill="none"
        stroke="#fff"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
