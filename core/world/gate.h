/* What sandbox.c and the gate of a sandbox (gate.c) have agreed upon. */
#ifndef AS_GATE_H
#define AS_GATE_H

#define AS_GATE_PROGRAM "gate"    /* beside the keeper of child processes */
#define AS_GATE_ALLOW "--allow"   /* before each entry of the list (destination.h), in the gate's first part */
#define AS_GATE_INSIDE "--inside" /* the second part, in the sandbox */
#define AS_GATE_SOCKET 3 /* where the second part hands over its listening socket; bwrap passes descriptors on */

/* Begins each line that the gate writes to the server's stderr about what it has not let through. */
#define AS_GATE_SAYS "assay-gate: "

#endif
