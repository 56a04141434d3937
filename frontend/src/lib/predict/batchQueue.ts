/** Collects items and passes them on in batches, at most one per `delay`, including the last. */
export class BatchQueue<Item> {
  private items: Item[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    private readonly send: (batch: Item[]) => void,
    private readonly delay: number,
    /** Items beyond this number between two batches are dropped, to bound the memory. */
    private readonly most = 200,
  ) {}

  push(...items: Item[]): void {
    this.items = [...this.items, ...items].slice(0, this.most);
    this.timer ??= setTimeout(() => this.flush(), this.delay);
  }

  /** Sends at once, because the page is about to close. */
  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const batch = this.items;
    this.items = [];
    if (batch.length) this.send(batch);
  }
}
