import {
  IconArrowsShuffle,
  IconFile,
  IconHighlight,
  IconMessage2,
  IconMessages,
  IconMicrophone,
  IconPhoto,
  IconPlug,
  IconPuzzle,
  IconTags,
  IconVector,
  IconVolume,
} from '@tabler/icons-react';

const ICONS: Record<string, typeof IconPuzzle> = {
  text2vec: IconVector,
  'text-classification': IconTags,
  ner: IconHighlight,
  'text-processing': IconArrowsShuffle,
  'chat-completion': IconMessages,
  asr: IconMicrophone,
  tts: IconVolume,
  chat: IconMessage2,
  'image-generation': IconPhoto,
  file_base64: IconFile,
  mcp_server: IconPlug,
};

/** Shown beside the name of the task type, so it is hidden from screen readers. */
export function TaskIcon({ taskType, size = 18 }: { taskType: string; size?: number }) {
  const Icon = ICONS[taskType] ?? IconPuzzle;
  return <Icon size={size} stroke={1.5} aria-hidden color="var(--mlp-accent-text)" style={{ flex: 'none' }} />;
}
