import type { Piece } from "../../report/text/lines.ts";

/** How much of a whole is done, and how much of it has failed, as a bar of so many columns. */
export function progressBar(
  { done, failed = 0, total }: { readonly done: number; readonly failed?: number; readonly total: number },
  columns: number,
): readonly Piece[] {
  const width = Math.max(0, columns);
  const share = (count: number) => (total === 0 ? 0 : Math.floor((count / total) * width));
  const full = share(done);
  const broken = Math.min(width - full, failed === 0 ? 0 : Math.max(1, share(failed)));
  return [
    { ink: "add", text: "█".repeat(full) },
    { ink: "remove", text: "▓".repeat(broken) },
    { ink: "dim", text: "░".repeat(width - full - broken) },
  ];
}
