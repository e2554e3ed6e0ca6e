import fc from "fast-check";

type Settings = Pick<fc.Parameters<unknown>, "seed" | "numRuns" | "endOnFailure">;
type Drawn<Ts extends [unknown, ...unknown[]]> = { readonly [K in keyof Ts]: fc.Arbitrary<Ts[K]> };

export function always<Ts extends [unknown, ...unknown[]]>(
  settings: Settings,
  ...property: [...Drawn<Ts>, (...drawn: Ts) => void]
): void {
  fc.assert(fc.property<Ts>(...property), settings);
}

export async function alwaysAsync<Ts extends [unknown, ...unknown[]]>(
  settings: Settings,
  ...property: [...Drawn<Ts>, (...drawn: Ts) => Promise<void>]
): Promise<void> {
  await fc.assert(fc.asyncProperty<Ts>(...property), settings);
}
