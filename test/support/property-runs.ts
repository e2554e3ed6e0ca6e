export const isDeep = process.env["PROPERTY_RUNS"] === "whole";

/** How often a property is tried: a fortieth of the whole in `npm test`, or another part by how many tries there are and how long each takes; all of it in `npm run test:deep`. */
export function runs(whole: number, part = 40): number {
  return isDeep ? whole : Math.ceil(whole / part);
}

/** Every so manieth of many like cases in `npm test`, all of them in `npm run test:deep`. */
export function oneIn<Case>(step: number, cases: Iterable<Case>): readonly Case[] {
  return [...cases].filter((_, index) => isDeep || index % step === 0);
}

/** How much a test of great inputs has of them: a tenth of the whole in `npm test`, all of it in `npm run test:deep`. */
export function size(whole: number): number {
  return isDeep ? whole : Math.ceil(whole / 10);
}
