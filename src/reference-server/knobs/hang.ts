import { occasions } from "./knob.ts";

export const hang = occasions("Which requests are served and never answered; the connection stays open.");
