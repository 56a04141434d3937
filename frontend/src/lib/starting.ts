/** The time until a service answers, in whole seconds, minutes or hours. */
export type RoughTime = { unit: 's' | 'm' | 'h'; count: number };

export function roughly(seconds: number): RoughTime {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return { unit: 's', count: whole };
  const minutes = Math.round(whole / 60);
  return minutes < 60 ? { unit: 'm', count: minutes } : { unit: 'h', count: Math.round(whole / 3600) };
}
