export const isDeep = process.env["PROPERTY_RUNS"] === "whole";

/** How often a property is tried: a twelfth of the whole in `npm test`, all of it in `npm run test:deep`. */
export function runs(whole: number): number {
  return isDeep ? whole : Math.ceil(whole / 12);
}

/** How much a test of great inputs has of them: a tenth of the whole in `npm test`, all of it in `npm run test:deep`. */
export function size(whole: number): number {
  return isDeep ? whole : Math.ceil(whole / 10);
}
