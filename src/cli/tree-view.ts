/** Shows several runs at once while they happen: each line says which run it is of. */
import type { RunEvent } from '../loop/events.ts';
import { shorten } from './format.ts';
import { markedLines } from './marked-lines.ts';
import type { RunView } from './run-view.ts';
import { createTextView, toEnding } from './run-view.ts';
import type { OutputStream, Terminal } from './terminal.ts';
import { printable, styled } from './terminal.ts';

/** Enough of a random id to tell runs apart; the line that names a run first has all of it. */
const shownId = 9;
const shownAgent = 24;

interface OneOfMany {
  readonly view: RunView;
  readonly output: OutputStream;
}

/** All on stdout. A run is marked by its agent and the beginning of its id. */
export function createTreeView(terminal: Terminal): RunView {
  const views = new Map<string, OneOfMany>();

  const viewOf = (event: RunEvent): OneOfMany => {
    const { runId } = event;
    const known = views.get(runId);
    if (known !== undefined) return known;
    const agent = event.type === 'run-start' ? `${shorten(event.data.agent, shownAgent)} ` : '';
    const mark = printable(`[${agent}${shorten(runId, shownId)}]`);
    const output = markedLines(terminal.stdout, `${styled(terminal.stdout, 'cyan', mark)} `);
    const view = createTextView(
      { ...terminal, stdout: output, stderr: output },
      { beginning: true },
    );
    views.set(runId, { view, output });
    return { view, output };
  };

  return {
    event(event) {
      const { view } = viewOf(event);
      view.event(event);
      if (event.type === 'run-end') view.end(toEnding(event));
    },
    live() {},
    end() {
      for (const { view, output } of views.values()) {
        view.end();
        output.end();
      }
    },
  };
}
