// Clients of boardgame.io's server, each with its own match and one open connection. For every line on standard input each
// client plays a number of moves in a new match, one after another; the line on standard output has the moves per second
// and the seconds of one move from sending it to seeing it.
"use strict";

const readline = require("node:readline");
const { io } = require("socket.io-client");

const [port, clients, moves] = process.argv.slice(2).map(Number);
const SEATS = 3;
let matches = 0;

function connected() {
  return new Promise((resolve, reject) => {
    const socket = io(`http://127.0.0.1:${port}/mine`, { transports: ["websocket"] });
    socket.once("connect", () => resolve(socket));
    socket.once("connect_error", reject);
  });
}

function request(socket, event, ...words) {
  return new Promise((resolve) => {
    const answer = event === "sync" ? "sync" : "update";
    socket.once(answer, (_, given) => resolve(answer === "sync" ? given.state : given));
    socket.emit(event, ...words);
  });
}

function move(socket, match, state, number) {
  const playerID = state.ctx.currentPlayer;
  const payload = { type: "lay", args: [`D${number}`], playerID };
  return request(socket, "update", { type: "MAKE_MOVE", payload }, state._stateID, match, playerID);
}

async function play(socket, match, opened) {
  const seconds = [];
  let state = opened;
  for (let number = 0; number < moves; number += 1) {
    const begun = process.hrtime.bigint();
    const after = await move(socket, match, state, number);
    seconds.push(Number(process.hrtime.bigint() - begun) / 1e9);
    if (after._stateID <= state._stateID) {
      throw new Error("a move was not taken");
    }
    state = after;
  }
  return seconds;
}

async function round(sockets) {
  const names = sockets.map(() => `match-${process.pid}-${(matches += 1)}`);
  const opened = await Promise.all(sockets.map((socket, at) => request(socket, "sync", names[at], "0", undefined, SEATS)));
  const begun = process.hrtime.bigint();
  const each = await Promise.all(sockets.map((socket, at) => play(socket, names[at], opened[at])));
  const lasted = Number(process.hrtime.bigint() - begun) / 1e9;
  const seconds = each.flat().sort((one, other) => one - other);
  const at = (place) => seconds[Math.min(seconds.length - 1, Math.round(place * seconds.length))];
  return [seconds.length / lasted, at(0.5), at(0.99)];
}

async function main() {
  const sockets = await Promise.all(Array.from({ length: clients }, connected));
  console.log("ready");
  for await (const _ of readline.createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await round(sockets)));
  }
  process.exit(0);
}

main().catch((problem) => {
  console.error(problem);
  process.exit(1);
});
