import { administratorKey } from "./administrator.ts";
import { countingIdentifiers, type IdentifierKind } from "./identifiers.ts";
import { type InitialState, restoreState } from "./restored-world.ts";
import type { Seed } from "./seed-shape.ts";
import { loadSeed } from "./sow-seed.ts";
import { World } from "./world.ts";

interface IdentifierOptions {
  readonly start: number;
  readonly kind: IdentifierKind;
}

/** What was kept, where anything was; else what the seed says. Throws where either contradicts itself. */
export function initialState(saved: string | undefined, seed: Seed, draws: IdentifierOptions): InitialState {
  return saved === undefined ? stateFromSeed(seed, draws) : restoreState(saved, draws);
}

function stateFromSeed(seed: Seed, { start, kind }: IdentifierOptions): InitialState {
  const identifiers = countingIdentifiers(start, kind);
  const world = new World(identifiers);
  const [fault] = loadSeed(seed, world);
  if (fault !== undefined) throw new Error(`seed, ${fault.path.join(".")}: ${fault.message}`);
  return { world, identifiers, mails: [], administrator: administratorKey(seed, world) };
}
