// biome-ignore lint/performance: the screens take this from here until they are rewritten
export { formatPlaces } from "../document/actions.ts";
export { changePieces, markPiece, type PersonContext, placesOf } from "../document/teams.ts";
