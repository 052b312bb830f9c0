/** Tells which citations stay behind. */
import type { Part } from '../../chat/part.ts';
import type { ReportEntry } from '../../chat/report.ts';
import type { ToolContent } from '../../chat/tool-output.ts';

/** Adds an entry to `report` for each text with citations among a message's parts or a tool's output. */
export function reportCitations(
  parts: readonly (Part | ToolContent)[],
  path: string,
  reason: string,
  report: ReportEntry[],
): void {
  for (const [at, part] of parts.entries()) {
    if (part.kind !== 'text' || (part.citations ?? []).length === 0) continue;
    report.push({ severity: 'omitted', path: `${path}[${at}].citations`, reason });
  }
}
