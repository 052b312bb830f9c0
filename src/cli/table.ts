/** Tables without lines, for a person's terminal. */
import Table from 'cli-table3';

/** The rows in columns under their headings. Colours of a cell take no room. */
export function toTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...headings],
    style: { head: [], border: [], compact: true },
    chars: { ...borderless, middle: '  ' },
  });
  for (const row of rows) table.push([...row]);
  return table.toString();
}

const borderless = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('mid-mid')
    .map((name) => [name, '']),
);
