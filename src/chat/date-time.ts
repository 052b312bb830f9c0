/** Moments in time as RFC 3339 text. */
import * as z from 'zod/mini';

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An RFC 3339 date and time with its offset, kept as written. */
export const DateTime = z
  .string()
  .check(z.refine(isDateTime, { error: 'must be an RFC 3339 date and time' }));

function isDateTime(text: string): boolean {
  const [, year, month, day] = pattern.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  return Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month));
}

function daysIn(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
