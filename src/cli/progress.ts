/** A spinner for what takes longer than a moment; nothing where nobody watches. */
import type { Terminal } from './terminal.ts';
import { styled } from './terminal.ts';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 80;
/** What is done by then needs no spinner. */
const quietMs = 400;

/** A spinner that turns until it is stopped. */
export interface Progress {
  update(text: string): void;
  /** Takes the spinner away; nothing happens when it is gone already. */
  stop(): void;
}

/** Shows `text` on stderr until stopped, if a person watches. */
export function startProgress({ stderr }: Terminal, text: string): Progress {
  if (stderr.isTTY !== true) return { update() {}, stop() {} };
  const startedAt = Date.now();
  let shown = text;
  let frame = 0;
  const timer = setInterval(() => {
    if (Date.now() - startedAt < quietMs) return;
    const sign = styled(stderr, 'cyan', frames[frame % frames.length] ?? '');
    stderr.write(`\r\u001b[K${sign} ${shown}`);
    frame += 1;
  }, frameMs);
  return {
    update(next) {
      shown = next;
    },
    stop() {
      clearInterval(timer);
      if (frame > 0) stderr.write('\r\u001b[K');
      frame = 0;
    },
  };
}

/** Shows `text` while `work` is under way; `work` may change it. */
export async function withProgress<T>(
  terminal: Terminal,
  text: string,
  work: (update: (text: string) => void) => Promise<T>,
): Promise<T> {
  const progress = startProgress(terminal, text);
  try {
    return await work(progress.update);
  } finally {
    progress.stop();
  }
}
