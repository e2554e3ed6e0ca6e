import { painter } from "../../../src/cli/host.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { defaultPrivilegedRoles } from "../../../src/model/values.ts";
import { Review } from "../../../src/screen/review.tsx";
import { onScreen } from "../../support/screens.tsx";

const size = { columns: 100, rows: 14 };
const paint = painter({ isTerminal: true, hasColours: false, columns: size.columns, write: () => true });

/** The screen on which `roster apply` asks for approval of a plan. */
export async function reviewScreen(plan: Plan): Promise<string> {
  const input = { plan, privileged: defaultPrivilegedRoles };
  const shown = onScreen(<Review input={input} onAnswer={() => undefined} />, size, paint);
  await shown.type("n");
  const frame = shown.frames.at(-1) ?? "";
  shown.unmount();
  return frame;
}
