import { useTracking } from './useTracking';

/** Records clicks and navigation; loaded only where the installation wants it. */
export default function Tracking() {
  useTracking();
  return null;
}
