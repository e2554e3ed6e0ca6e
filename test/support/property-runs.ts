export const isDeep = process.env["PROPERTY_RUNS"] === "whole";

/** How often a property is tried: a sixth of the whole in `npm test`, all of it in `npm run test:deep`. */
export function runs(whole: number): number {
  return isDeep ? whole : Math.ceil(whole / 6);
}
