import type { StreamedLines } from "../../report/outcome.ts";

/** The lines that a command tells while it works: kept where a report wants them, and told once. */
export interface EventBuffer {
  /** From now on lines are told. */
  begin(): void;
  /** Keeps a line for a report. */
  keep(line: string): void;
  /** The plan of this id was told. */
  planned(id: string): void;
  /** The lines that were kept. */
  text(): string;
  /** Undefined where lines were not begun. */
  told(): StreamedLines | undefined;
}

/** Nothing is told yet. */
export function newEventBuffer(): EventBuffer {
  const lines: string[] = [];
  let told: StreamedLines | undefined;
  return {
    begin() {
      told = {};
    },
    keep(line) {
      lines.push(line);
    },
    planned(id) {
      told = { ...told, plan: id };
    },
    text: () => lines.join(""),
    told: () => told,
  };
}
