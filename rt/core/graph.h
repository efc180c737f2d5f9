/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h - a captured graph inside the core. Only for the files graph*.c; all under rt_lock.
 */
#ifndef NPU_RT_GRAPH_H
#define NPU_RT_GRAPH_H
#include "queue.h"

enum { MAX_LANES = 64, WHY_BYTES = 320, STORY_BYTES = WHY_BYTES + 80 };
#define NO_NODE UINT32_MAX

/* What one node does. An update exchanges it while a run may still be in the old one. */
struct work {
    uint32_t n_holders;
    struct rt_task task;
    struct npu_event *event; /* held; for names and flags */
};

struct node {
    struct work *work;
    uint32_t lane, next; /* next: of the same lane, or NO_NODE */
};

struct lane {
    struct npu_stream *stream; /* while it captures; NULL when it was destroyed */
    uint32_t stream_id, first, last;
    uint32_t last_work; /* the last node that is no record: a record alone keeps nobody waiting */
    uint32_t seen[MAX_LANES]; /* one more than the last node of each lane that is before this one */
};

struct record {
    struct npu_event *event; /* held */
    uint32_t node;
    uint32_t seen[MAX_LANES];
};

struct npu_task_group {
    uint32_t magic, lane, first, n; /* nodes */
    bool is_updated;                /* between begin and end of an update */
    struct npu_graph *graph;
    struct npu_task_group *next; /* of the graph */
};

struct on_destroy {
    struct on_destroy *next;
    npu_host_fn *fn;
    void *arg;
};

enum state { CAPTURING, BROKEN, READY };

struct npu_graph {
    uint32_t magic, id, mode;
    int device;
    enum state state;
    int why; /* BROKEN */
    char story[STORY_BYTES];
    pthread_t thread; /* that began the capture */
    struct npu_graph *next_capture;
    uint32_t n_lanes, n_nodes, cap_nodes, n_records, cap_records;
    uint32_t n_uses;              /* runs and updates that have not ended */
    struct lane *lane[MAX_LANES]; /* 0: the stream that it began on */
    struct node *node;
    struct record *record;                /* while it captures */
    struct npu_task_group *groups, *open; /* open: between begin and end */
    struct on_destroy *on_destroy;
    char name[NPU_GRAPH_NAME_BYTES];
};

enum { GRAPH_MAGIC = 0x4e475246, GROUP_MAGIC = 0x4e475250 };

/* graph.c */
extern struct rt_pool rt_groups;
int graph_break(struct npu_graph *g, int code, const char *who, const char *why);
int graph_refuse_broken(const struct npu_graph *g, const char *who);
int graph_no_memory(struct npu_graph *g, const char *who);
struct npu_graph *graph_check(struct npu_graph *g, const char *who);
void graph_free(struct npu_graph *g); /* unlocks; nobody can find it any more */
/* Takes the task's argument over in any case; NULL with the message. */
struct work *graph_new_work(const struct rt_task *t, struct npu_event *event);
void graph_put_work(struct work *w); /* may unlock */
/* Room for one more of n elements of the given size; NULL: none. */
void *graph_grow(void *array, uint32_t n, uint32_t *cap, size_t size);

/* graph_group.c */
int graph_take_for_update(struct npu_stream *s, const struct rt_task *t);
void graph_forget_update(struct npu_stream *s);

#endif
