import { describe, expect, it } from 'vitest';
import { withoutSettings } from '../../bench/servers.ts';

describe('a server without some settings', () => {
  const args = ['server', '--dynamic-config-value', 'a=1', '--dynamic-config-value', 'b=2'];

  it('is started with all the others', () => {
    expect(withoutSettings(args, ['a=1'])).toEqual(['server', '--dynamic-config-value', 'b=2']);
  });

  it('is refused when it never had one of them', () => {
    expect(() => withoutSettings(args, ['c=3'])).toThrow('c=3');
  });
});
