import type { ModalName } from '@/lib/modals';

export type RequestName = Exclude<ModalName, 'refill'>;
export type RequestField = 'name' | 'contacts' | 'comment' | 'question';
export type RequestValues = Record<RequestField, string>;

export const FIELDS: Record<RequestName, readonly RequestField[]> = {
  access: ['contacts', 'comment'],
  'service-development': ['name', 'contacts', 'comment'],
  demo: ['name', 'contacts'],
  contact: ['name', 'contacts', 'question'],
};

export const LONGEST: Record<RequestField, number> = { name: 200, contacts: 500, comment: 5000, question: 5000 };

/** The team sees the name with the contacts, and the request in the comment. */
export function requestBody({ name, contacts, comment, question }: RequestValues): {
  contacts: string;
  comment: string | null;
} {
  return {
    contacts: [name, contacts]
      .map((text) => text.trim())
      .filter(Boolean)
      .join(', '),
    comment: (comment || question).trim() || null,
  };
}
