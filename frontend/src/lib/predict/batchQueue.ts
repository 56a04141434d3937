/** Collects what happens and hands it on in batches, at most one in `delay`, the last one too. */
export class BatchQueue<Item> {
  private items: Item[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly send: (batch: Item[]) => void,
    private readonly delay: number,
    /** More than this between two batches is dropped: nothing may grow without end. */
    private readonly most = 200,
  ) {}

  push(...items: Item[]): void {
    this.items = [...this.items, ...items].slice(0, this.most);
    this.timer ??= setTimeout(() => this.flush(), this.delay);
  }

  /** At once: the page is about to close. */
  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const batch = this.items;
    this.items = [];
    if (batch.length) this.send(batch);
  }
}
