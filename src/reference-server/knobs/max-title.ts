import { type Refusal, refuse } from "../reply.ts";
import { count } from "./knob.ts";

export const maxTitle = count("Letters of a new user's title at the most, 0 for any number; a longer one is a 400.", 0);

export function titleFault(most: number, title: string | undefined): Refusal | undefined {
  if (most === 0 || title === undefined || title.length <= most) return undefined;
  return refuse(400, `The field title has ${title.length} letters; at most ${most} are taken`);
}
