// A game of the same size as Saboteur: hidden hands and deck, a growing mine, three seats. It never ends.
"use strict";

const CARDS = ["path-tb", "path-rl", "path-trb", "path-trbl", "dead-l", "rockfall", "map", "break-cart"];
const DECK = 71;
const HAND = 6;
const SEATS = 3;

function dealt(random) {
  const cards = Array.from({ length: DECK }, (_, number) => CARDS[number % CARDS.length]);
  const deck = random.Shuffle(cards);
  const hands = Array.from({ length: SEATS }, () => deck.splice(0, HAND));
  return {
    deck,
    hands,
    roles: random.Shuffle(["digger", "digger", "saboteur"]),
    goals: random.Shuffle(["treasure", "stone-tl", "stone-tr"]),
    mine: [["A5", "start"]],
    discards: [],
    broken: [[], [], []],
    seen: [[], [], []],
    gold: [[], [], []],
    pile: Array.from({ length: 28 }, (_, number) => 1 + (number % 3)),
  };
}

// Lay the first card of the hand in a cell and draw; new cards are dealt when the deck runs out.
function lay({ G, ctx, events, random }, cell) {
  const hand = G.hands[ctx.currentPlayer];
  const card = hand.shift();
  if (card === undefined) {
    Object.assign(G, dealt(random));
  } else if (card.startsWith("path")) {
    G.mine.push([cell, card]);
  } else {
    G.discards.push(card);
  }
  if (card !== undefined && G.deck.length > 0) {
    hand.push(G.deck.shift());
  }
  events.endTurn();
}

// What one seat may know: its own hand, and of the rest how many cards there are.
function playerView({ G, playerID }) {
  const { deck, hands, roles, goals, pile, discards, ...known } = G;
  return {
    ...known,
    hand: hands[playerID] || [],
    role: roles[playerID],
    sizes: hands.map((hand) => hand.length),
    left: deck.length,
    discarded: discards.length,
  };
}

exports.Mine = {
  name: "mine",
  disableUndo: true,
  setup: ({ random }) => dealt(random),
  moves: { lay: { move: lay, client: false } },
  playerView,
};
