# Run one method of the R package clue: Rscript peer_clue.R labels.csv METHOD K
# Prints the seconds that the method took, then one label per line.
suppressMessages(library(clue))
set.seed(0)
arguments <- commandArgs(trailingOnly = TRUE)
labels <- as.matrix(read.csv(arguments[1], header = FALSE))
k <- as.integer(arguments[3])
ensemble <- cl_ensemble(list = lapply(seq_len(ncol(labels)), function(j) as.cl_hard_partition(labels[, j] + 1)))
control <- list(k = k)
if (arguments[2] %in% c("SE", "HE", "GV1")) control$nruns <- 10
begun <- proc.time()[["elapsed"]]
found <- cl_consensus(ensemble, method = arguments[2], control = control)
cat(proc.time()[["elapsed"]] - begun, cl_class_ids(found), sep = "\n")
