import { administratorKey } from "./administrator.ts";
import { countingIdentifiers, type IdentifierKind } from "./identifiers.ts";
import { type Beginning, restoredWorld } from "./restored-world.ts";
import type { Seed } from "./seed-shape.ts";
import { sowSeed } from "./sow-seed.ts";
import { World } from "./world.ts";

interface Draws {
  readonly start: number;
  readonly kind: IdentifierKind;
}

/** What was kept, where anything was; else what the seed says. Throws where either contradicts itself. */
export function beginning(saved: string | undefined, seed: Seed, draws: Draws): Beginning {
  return saved === undefined ? sown(seed, draws) : restoredWorld(saved, draws);
}

function sown(seed: Seed, { start, kind }: Draws): Beginning {
  const identifiers = countingIdentifiers(start, kind);
  const world = new World(identifiers);
  const [fault] = sowSeed(seed, world);
  if (fault !== undefined) throw new Error(`seed, ${fault.path.join(".")}: ${fault.message}`);
  return { world, identifiers, mails: [], administrator: administratorKey(seed, world) };
}
