#pragma once
// The program's verbs, one file each; sweep_verbs.cpp, result_verbs.cpp and method_verbs.cpp turn the command line into
// these options. Every verb returns an exit code and throws what it cannot handle, of the four kinds of
// rfbench/errors.hpp: failure.cpp says it in one sentence.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rfbench::cli {

enum ExitCode : int {
    success = 0,
    failure = 1,              ///< a file is missing, damaged or cannot be written; a program or memory failed
    bad_configuration = 2,    ///< the command line, a name in it or a YAML file was refused
    cells_failed = 3,         ///< the run ended, some cells threw
    values_differ = 3,        ///< they are not the same again
    nothing_selected = 4,     ///< no name was given to run, or nothing is there
    verification_failed = 5,  ///< a result or data file is missing, damaged or unlisted
    own_mistake = 70,         ///< a bug of rfbench (EX_SOFTWARE of sysexits.h)
    interrupted = 130,        ///< SIGINT or SIGTERM; run again to go on
};

/// Which configurations, and how they are read.
struct Selection {
    std::vector<std::string> names;
    std::filesystem::path configs;
    std::string profile;
    bool quick = false;  ///< the profile of that name
    std::vector<std::string> overrides;
    std::vector<std::filesystem::path> plugins;  ///< files of mechanisms, which are in the catalogue already
};

struct RunOptions {
    Selection selection;
    std::filesystem::path results = "results";  ///< root of all results; those of a profile are in a folder of its name
    int threads = 0;
    bool fresh = false;
    bool keep_stale = false;
    bool quiet = false;
    bool draw = true;
    std::string shard;     ///< "2/8", or empty for all cells
    std::string as;        ///< the name of the results, if not that of the configuration's file
    std::string suffix;    ///< of the names of results: the values of a --set that has several
    bool replace = false;  ///< also the results of another configuration
    bool another = false;  ///< another value of such a --set comes after this one
};

/// Options for Slurm; an empty text leaves the choice to the site.
struct SlurmOptions {
    RunOptions run;
    std::optional<std::size_t> tasks;  ///< none: tasks of about half an hour
    std::string time, memory, partition, account, qos;
    std::size_t at_once = 0;       ///< tasks of an array at a time; 0: as many as the site lets
    std::size_t max_index = 1000;  ///< of an array: more tasks are split over several
    std::filesystem::path folder;  ///< of the scripts and logs, if not slurm in that of the results
    bool submit = false;
};

struct InspectOptions {
    std::string mechanism, x, y, x_file, y_file, omega;
    std::vector<std::string> settings;
    std::optional<std::int64_t> count;
    std::string sampling = "iid";
    bool all_pairs = false;  ///< of sets, also where they are so many that a sample would be taken
};

/// Options of 'data add'.
struct AddOptions {
    std::string name, label;
    std::vector<std::string> categories, ignored;
};

struct FeaturesOptions {
    std::string method;         ///< its name, or an entry of a configuration's list of methods
    std::filesystem::path map;  ///< a file of features whose map is applied, in place of a method
    std::string x, y;
    std::vector<std::string> settings;
    std::optional<std::int64_t> columns, seed;  ///< 64 and 1 unless given
    std::string sampling;
    std::filesystem::path out;
};

/// Options of 'export' to a table.
struct ExportOptions {
    std::filesystem::path file, out;     ///< out: standard output where it is empty
    std::string to;                      ///< csv or npz
    std::vector<std::string> variables;  ///< all where it is empty
};

/// How tables are shown.
struct TableOptions {
    std::string as;                ///< name of the results of the one configuration that is named, if not its own
    bool narrow = false;           ///< LaTeX for a column of a journal
    std::string format = "table";  ///< for the screen, or md, tex, csv
};

struct RecommendOptions {
    std::string use;
    std::filesystem::path results;
    bool reference = false;             ///< results are those that come with rfbench
    std::string where;                  ///< options after a verb that show the same results, " --results mine"
    double dimension = 64, scale = 1;   ///< of queries and keys: standard deviation of their coordinates
    double columns = 256;               ///< real ones, at most
    std::vector<std::string> given;     ///< those of --d, --sd and --columns that are on the command line
    std::filesystem::path figure = {};  ///< to be drawn; none if empty
};

struct CompareOptions {
    std::string a, b;  ///< result files, results folders, or 'reference'
    std::string format = "table";
    std::size_t rows = 20;              ///< shown of what differs; 0: all
    std::filesystem::path figure = {};  ///< to be drawn; none if empty
};

int list(const std::string& what, const std::filesystem::path& configs);
int describe(const std::string& name);
/// Time and memory are those of a run with these options.
int show_plan(const RunOptions&, bool all_cells);
int run(const RunOptions&);
int status(const RunOptions&, bool json);
/// `results` is the root of all results here and below, or the folder of a profile in it.
int verify(const std::filesystem::path& results, const std::filesystem::path& root,
           const std::vector<std::string>& names);
int table(const std::filesystem::path& results, const std::vector<std::string>& names, const TableOptions&);
/// Shows the tables of sweeps that are not finished, from what is done.
int partial_tables(const RunOptions&);
/// Shows the tables of results of full runs that come with the project, and which commit made them.
int reference(const std::filesystem::path& results, const std::vector<std::string>& names, const TableOptions&);
/// Shows what the result files of a folder say of the papers' claims. `filters` of one kind are
/// alternatives, kinds narrow each other down; `format`: table, md, tex, csv or json.
int claims(const std::filesystem::path& results, const std::vector<std::string>& filters, const std::string& format);
/// Shows what differs between two results, the surest first. Returns values_differ where that is more than errors
/// allow.
int compare(const CompareOptions&);
/// Shows the best methods for a use by result files.
int recommend(const RecommendOptions&);
std::vector<std::string> recommended_uses();
/// Fills the numbers of pages that come from results/reference of a checkout, or with `check` says which no longer
/// agree and returns values_differ where any do not.
int pages(const std::filesystem::path& root, bool check);
int plot(const std::filesystem::path& results, const std::vector<std::string>& names, const std::string& as,
         const std::filesystem::path& style, bool titled);
/// Draws figures of results that come with the project, each below `folder` by its name.
int plot_reference(const std::filesystem::path& results, const std::vector<std::string>& names,
                   const std::filesystem::path& folder, const std::filesystem::path& style, bool titled);
/// Unites the cells of other results folders with those of `results`.
int collect(const std::filesystem::path& results, const std::vector<std::filesystem::path>& trees);
/// Removes cells that no collected result needs.
int prune(const std::filesystem::path& results, bool dry_run);
/// Writes the scripts of an array of batch jobs, each a shard, and of the job that collects.
int slurm(const SlurmOptions&);
/// Writes the networks of a result file in GPT-2's layout, each into a folder of its own in `folder`.
int export_networks(const std::filesystem::path& file, const std::filesystem::path& folder);
/// Writes a result file as a tidy table, a row a value.
int export_table(const ExportOptions&);
/// Computes so many cells of a result file again, from what it says of itself. Returns values_differ where they are
/// other than in the file: in any bit on one instruction set, by more than 1e-6 of themselves on another. `results`:
/// the folder with the results that the file stands on, if they are not beside it.
int reproduce(const std::filesystem::path& file, std::size_t cells, const std::filesystem::path& results);
int inspect(const InspectOptions&);
/// Shows where points stand (norms, angles, |x + y|^2, degrees of freedom) and what follows for features. `y_file`:
/// empty where keys are the queries; `attention`: points are queries and keys of a head, of exp(q.k / sqrt d).
int inspect_data(const std::string& x_file, const std::string& y_file, bool attention);
/// Proposes a colour, a dash and a mark for a name in figures. `family`: of looks.json; empty where the name is a
/// mechanism or a sampling.
int look(const std::string& name, const std::string& family);
struct KnownVerb;
/// Prints a script for bash or zsh that completes these verbs, their options and what they take.
int completion(const std::string& shell, const std::vector<KnownVerb>&);
/// Writes the features of the user's points.
int features(const FeaturesOptions&);
int data(const std::string& action, const std::vector<std::string>& names, const AddOptions&);

}  // namespace rfbench::cli
