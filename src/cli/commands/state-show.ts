import { encodeState } from "../../codec/state.ts";
import { recordedStateLines } from "../../report/document/state.ts";
import { plain } from "../../report/outcome.ts";
import { safeJson } from "../../report/safe.ts";
import { renderLines } from "../../report/text/lines.ts";
import { errorFromFailure } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type openSession, runCommand } from "../session.ts";
import { type StateFlags, stateResult } from "../stores/open-store.ts";

/** Shows what the state records. Takes no lock and writes nothing. */
export async function stateShow(flags: StateFlags & OutputFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => showResult(flags, host, open)), flags, host);
}

async function showResult(
  flags: StateFlags & OutputFlags,
  host: Host,
  open: typeof openSession,
): Promise<CommandResult> {
  const session = await open({ command: "state", flags, host, needs: ["store"], movedState: "allowed" });
  if (!session.ok) return { ...stateResult, ...session.error };
  const { store } = session.value;
  const state = await store.read();
  if (!state.ok) return { ...stateResult, stop: errorFromFailure(state.error) };
  const text = renderLines(recordedStateLines(state.value, store.address), plain);
  const ownWords = { json: safeJson(encodeState(state.value)), text };
  return { ...stateResult, ownWords };
}
