import { type Refusal, refuse } from "../reply.ts";

export function checkTitle(most: number, title: string | undefined): Refusal | undefined {
  if (most === 0 || title === undefined || title.length <= most) return undefined;
  return refuse(400, `The field title has ${title.length} letters; at most ${most} are taken`);
}
