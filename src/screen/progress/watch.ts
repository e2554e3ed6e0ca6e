import type { Paint } from "../../report/outcome.ts";
import { interruptAsTerminal, type Terminal } from "../canvas.ts";
import type { ScreenRow, Size } from "../screen-row.ts";
import { openStage } from "../stage.tsx";

/** A screen that shows how something goes, until it is left. */
export interface ProgressScreen {
  leave(): void;
}

/** Milliseconds between two looks. */
const refreshInterval = 125;

/** Shows what `look` says, again and again. Nothing can be done to it but to interrupt roster. */
export function openWatch(
  terminal: Terminal,
  { paint, look }: { readonly paint: Paint; readonly look: (size: Size) => readonly ScreenRow[] },
): ProgressScreen {
  const show = () => stage.show(look(stage.size()));
  const stage = openStage(terminal, {
    paint,
    onKey: ({ key }) => {
      if (key === "interrupt") interruptAsTerminal();
    },
    onResize: show,
  });
  show();
  const timer = setInterval(show, refreshInterval);
  return {
    leave() {
      clearInterval(timer);
      stage.leave();
    },
  };
}
