/** Output of which each line begins with a mark. */
import { Writable } from 'node:stream';
import type { OutputStream } from './terminal.ts';

/** A stream that hands on whole lines, each with the mark before it; the last one at the latest when it ends. */
export function markedLines(target: OutputStream, mark: string): OutputStream {
  let line = '';
  const stream = new Writable({
    decodeStrings: false,
    write(piece: string, _encoding, done) {
      const lines = `${line}${piece}`.split('\n');
      line = lines.pop() ?? '';
      for (const each of lines) target.write(`${mark}${each}\n`);
      done();
    },
    final(done) {
      if (line !== '') target.write(`${mark}${line}\n`);
      done();
    },
  });
  return target.isTTY === true ? Object.assign(stream, { isTTY: true }) : stream;
}
