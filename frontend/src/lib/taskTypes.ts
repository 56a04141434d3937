/** Views of a model's input and output by task type; all others are JSON. */
export type InputKind = 'texts' | 'text' | 'audio' | 'prompt' | 'file' | 'completion' | 'dialogue' | 'json';

const INPUTS: Record<string, InputKind> = {
  ner: 'texts',
  text2vec: 'texts',
  'text-classification': 'texts',
  'text-processing': 'texts',
  tts: 'text',
  asr: 'audio',
  'image-generation': 'prompt',
  file_base64: 'file',
  'chat-completion': 'completion',
  chat: 'dialogue',
};

const EXAMPLES: Record<string, unknown[]> = {
  ner: [
    { texts: ['Владимир Путин и Ангела Меркель встретились в Москве 5 мая.'] },
    { texts: ['Компания Яндекс открыла офис в Казани.'] },
  ],
  text2vec: [{ texts: ['кошка', 'котёнок', 'трактор'] }],
  'text-classification': [{ texts: ['Где мой заказ?'] }],
  'text-processing': [{ texts: ['Здравствуйте'] }],
  tts: [{ text: 'Привет! Как дела?' }, { text: 'Hello, world!' }],
  'chat-completion': [{ messages: [{ role: 'user', content: 'Hello!' }] }],
  chat: [{ clientId: 'somebody', input: 'Hello!' }],
  'image-generation': [{ prompt: 'a lighthouse in a storm', n: 1, size: '512x512' }],
  asr: [{ audio_base64: '' }],
  file_base64: [{ file_base64: '', fileName: '' }],
};

export function inputKind(taskType: string): InputKind {
  return INPUTS[taskType] ?? 'json';
}

/** Requests that every service of the task type understands; none if the task type does not fix the request. */
export function examplesOf(taskType: string): unknown[] {
  return EXAMPLES[taskType] ?? [];
}
