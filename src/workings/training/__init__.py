"""Training: data, losses, updates, sessions and checkpoints.

data/               tasks whose questions are made up, and long texts
batch.py            texts padded to one length
sources.py          batches of a task or a long text, and those that are held out
averaging.py        the loss of a batch, averaged over tokens or over texts
rates.py            the learning rate of each step
gradients.py        the loss and its gradients, compiled
flat.py             all weights in one row
update.py           optimizers, and the compiled update
recorded_update.py  the same update recorded in a trace
trainer.py          Trainer: training steps, compiled or recorded
evaluation.py       the loss and the right answers on held-out texts
recipe.py           what a session needs to know of a training
session.py          Session: a training in a folder, with evaluations and checkpoints
lock.py             one session at a time in a folder
checkpoint.py       checkpoints on the disk
checkpoint_format.py  what their files hold, and the checks when they are read
training_page.py    the page at the end of a training
threads.py          how many threads compute products
"""
