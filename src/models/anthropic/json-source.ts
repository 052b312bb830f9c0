/** Writes JSON in which some values are the exact text that somebody else wrote. */

/** A value that is written as this text; the text is valid JSON. */
export class JsonSource {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The value as JavaScript reads it, which may round its numbers. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** JSON text of plain data, with each {@link JsonSource} as it stands; members that are undefined are left out. */
export function writeJson(value: unknown): string {
  if (value instanceof JsonSource) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`);
  return `{${members.join(',')}}`;
}
